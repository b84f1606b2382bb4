/** All that one commit makes true. */
export type Commit = {
  /** The record that it is about: made, or moved to its next step. Without one the commit only appends to the log. */
  record?: { id: string; isNew?: boolean; data?: Record<string, string> };
  step: string;
  /** A row of the record's timeline. */
  isTimed?: boolean;
  /** A counter or a state in addition to the record: the bytes that a tenant uses, what an agent does. */
  counter?: string;
  /** Rows of other tables that come with it. */
  factCount?: number;
  /** Events of a log: gapless, in the order of the commits. */
  log?: { id: string; events: number; about: string };
  /** The message that goes out with it. */
  message?: string;
  /** The message that it handles. */
  handles?: string;
};

// About what a row of the product holds besides its ids.
const PADDING = JSON.stringify({ padding: 'x'.repeat(200) });

type Add = (value: string | number, type: string) => string;

/** One statement with all parts of a commit. Its text is the same for all commits of a kind, so that it is prepared once. */
export function formatCommit(commit: Commit): { text: string; parameters: (string | number)[] } {
  const parameters: (string | number)[] = [];
  const add: Add = (value, type) => `$${parameters.push(value)}::${type}`;
  let padded: string | undefined;
  const padding = () => {
    padded ??= `${add(PADDING, 'text')}::jsonb`;
    return padded;
  };
  const step = add(commit.step, 'text');
  const parts = [
    ...formatRecord(commit, add, { padding, step }),
    ...formatLog(commit, add, { padding, step }),
    ...formatMessages(commit, add, padding),
  ];
  const moved = commit.record ? '(select count(*)::int from moved)' : '1';
  return { text: `with ${parts.join(', ')} select ${moved} as moved`, parameters };
}

/** `padding` becomes a parameter only if it is used. */
type Common = { padding: () => string; step: string };

function formatRecord({ record, isTimed, counter, factCount }: Commit, add: Add, { padding, step }: Common): string[] {
  const parts: string[] = [];
  if (counter !== undefined) {
    const raised = 'on conflict (id) do update set n = c.n + 1';
    parts.push(`counted as (insert into counter as c values (${add(counter, 'text')}, 1) ${raised})`);
  }
  if (!record) return parts;
  const id = add(record.id, 'uuid');
  const data = `${add(JSON.stringify(record.data ?? {}), 'text')}::jsonb`;
  const write = record.isNew
    ? `insert into record (id, step, data) values (${id}, ${step}, ${data} || ${padding()})`
    : `update record set step = ${step}, data = data || ${data}, moved_at = now() where id = ${id}`;
  parts.push(`moved as (${write} returning 1)`);
  if (isTimed)
    parts.push(`timed as (insert into timeline (record_id, step, data) values (${id}, ${step}, ${padding()}))`);
  if (factCount !== undefined) {
    const rows = `generate_series(1, ${add(factCount, 'int')})`;
    parts.push(`stated as (insert into fact (record_id, data) select ${id}, ${padding()} from ${rows})`);
  }
  return parts;
}

function formatLog({ log }: Commit, add: Add, { padding, step }: Common): string[] {
  if (!log) return [];
  const [id, events, about] = [add(log.id, 'text'), add(log.events, 'int'), add(log.about, 'uuid')];
  const raised = `on conflict (id) do update set last_seq = h.last_seq + ${events} returning last_seq`;
  const rows = `select ${id}, last_seq - ${events} + n, ${about}, ${step}, ${padding()} from head, generate_series(1, ${events}) n`;
  return [
    `head as (insert into log_head as h values (${id}, ${events}) ${raised})`,
    `logged as (insert into log (log_id, seq, record_id, step, data) ${rows})`,
  ];
}

function formatMessages({ message, handles }: Commit, add: Add, padding: () => string): string[] {
  const parts: string[] = [];
  if (message !== undefined)
    parts.push(`sent as (insert into message values (${add(message, 'uuid')}, 'waiting', ${padding()}))`);
  if (handles !== undefined) parts.push(`handled as (insert into handled values (${add(handles, 'uuid')}))`);
  return parts;
}
