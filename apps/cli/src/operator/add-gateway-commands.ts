import type { Command } from 'commander';
import { forPrograms, type Options, type Page, paged, run } from './operator-command.ts';

/** `attache gateway` and `attache session`: which gateway has what, and how it lets go of it. */
export function addGatewayCommands(program: Command): void {
  const gateway = program.command('gateway').description('the gateways, and what each of them has');
  forPrograms(gateway.command('list'))
    .description('list the gateways')
    .action((options: Options) => run('gateway.list', {}, options));
  forPrograms(gateway.command('drain').argument('<gateway>'))
    .description('have a gateway let go of its sessions as their turns end, and take no others')
    .action((name: string, options: Options) => run('gateway.drain', { gateway: name }, options));
  const session = program.command('session').description('where sessions are, and where they go');
  paged(session.command('list').argument('<tenant>'))
    .description('list the sessions of a tenant that a gateway has or had')
    .option('--parked', 'those of which nothing is delivered')
    .action((tenant: string, { limit, cursor, parked, ...options }: Page & { parked?: boolean }) =>
      run('session.list', { tenant, limit, cursor, isParked: parked }, options),
    );
  forPrograms(session.command('move').argument('<tenant>').argument('<session id>'))
    .description('have its gateway let go of a session when its turn has ended')
    .option('--to <gateway>', 'for this gateway; without it, for any')
    .action((tenant: string, sessionId: string, { to, ...options }: Options & { to?: string }) =>
      run('session.move', { tenant, sessionId, to }, options),
    );
  forPrograms(session.command('unpark').argument('<tenant>').argument('<session id>'))
    .description('resume a session that killed three gateways in a row')
    .action((tenant: string, sessionId: string, options: Options) =>
      run('session.unpark', { tenant, sessionId }, options),
    );
}
