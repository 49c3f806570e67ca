// The soak as a command: `npm run soak -- --minutes 240`. It ends with 1 where something acknowledged was lost.
import { parseArgs } from 'node:util';
import { cleanUp } from '../cleanup.ts';
import { soak } from './soak.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } });
const problems = await soak(Number(values.minutes), (line) => console.log(line));
for (const problem of problems) console.log(problem);
console.log(
  problems.length === 0 ? 'Everything that was acknowledged is there.' : `${problems.length} problems.`,
);
cleanUp();
process.exitCode = problems.length === 0 ? 0 : 1;
