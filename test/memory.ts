// How much memory is in use. Files that ask are named `…memory.test.ts`, and have a process of their own.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Of what is alive. Buffers that the first collection found to be garbage are counted until the second. */
export function usedBytes(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
