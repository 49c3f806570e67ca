// A small server that starts a program and waits to be killed.
import { findWorkingTools } from './isolation/machine-tools.ts';
import { openTestRunner } from './fixture.ts';
import { machineIsolation, type Isolation } from './isolation/isolation.ts';
import type { ProgramNetwork } from './runner.ts';

const [data = '', kind, groups, network = 'host'] = process.argv.slice(2);
const tools = await findWorkingTools();
const isolations: Record<string, () => Promise<Isolation> | Isolation> = {
  bubblewrap: () => machineIsolation(),
  uid: () => ({ kind: 'uid', tools: { ...tools, setpriv: tools.setpriv! } }),
  none: () => ({ kind: 'none', tools }),
};
const { start } = await openTestRunner({
  data,
  options: { isolation: await isolations[kind!]!(), ...(groups === 'none' && { cgroups: 'none' }) },
});
const { program } = await start(
  'trap "" TERM; setsid sh -c "sleep 1000 & echo; while :; do sleep 1; done" left $PWD & touch ready; while :; do sleep 1; done',
  { id: 'left', network: network as ProgramNetwork },
);
process.stdout.write(`${JSON.stringify({ folder: program.folder })}\n`);
setInterval(() => {}, 1000);
