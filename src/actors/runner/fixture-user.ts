// What an ordinary user's server can do with its programs, as lines of JSON; run with the folder for its data.
import { openTestRunner } from './fixture.ts';

const [data = '', maxProcesses = ''] = process.argv.slice(2);
const { run, runner } = await openTestRunner({ data, options: { maxProcesses: Number(maxProcesses) } });
const results = {
  isolation: runner.isolation,
  warnings: runner.warnings,
  status: await run('cat /proc/self/status; id -u; cat /proc/self/uid_map'),
  outside: await run(`ls -A ${data}; echo > /proc/sys/vm/swappiness; echo mine > file && cat file`),
  network: await run('cat /etc/resolv.conf; cat /proc/net/dev; cat /proc/self/status', {
    network: 'private',
  }).catch((error: Error) => ({ output: error.message })),
  forks: await run('for i in $(seq 200); do sleep 1000 & done'),
  memory: await run(`node -e "const held = []; setInterval(() => held.push(Buffer.alloc(4e6, 1)), 2)"`, {
    memoryMbytes: 128,
  }),
};
process.stdout.write(`${JSON.stringify(results)}\n`);
