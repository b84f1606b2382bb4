/** The results of one run: how many tests passed, and what is wrong with the others. */
export type TestResults = { passedCount: number; complaints: string[] };

type Report = {
  testResults: readonly {
    name: string;
    status: string;
    message?: string;
    assertionResults: readonly { fullName: string; status: string; failureMessages?: readonly string[] | null }[];
  }[];
};

const CGROUP = /^attache-agent-/;

/** Reads vitest's report. `left` lists the delegated cgroup after the tests: none of an agent may be there. */
export function readResults(report: string, left: string): TestResults {
  const files = (JSON.parse(report) as Report).testResults;
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const cgroups = left.split('\n').filter((name) => CGROUP.test(name));
  return {
    passedCount: tests.filter(({ status }) => status === 'passed').length,
    complaints: [
      ...(tests.length === 0 ? ['no test ran'] : []),
      // A file that cannot be loaded has failed without a test.
      ...files
        .filter((file) => file.status === 'failed' && file.message)
        .map(({ name, message }) => `${name}: ${message}`),
      ...tests.filter(({ status }) => status !== 'passed').map(describeTest),
      ...cgroups.map((name) => `the cgroup ${name} was left behind`),
    ],
  };
}

function describeTest({
  fullName,
  status,
  failureMessages,
}: Report['testResults'][number]['assertionResults'][number]) {
  const said = (failureMessages ?? []).map((message) => `\n${message}`).join('');
  return `${status === 'failed' ? 'failed' : 'did not run'}: ${fullName.trim()}${said}`;
}
