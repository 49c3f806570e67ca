// Patterns of the people who write rules, tried on texts of anybody who asks: neither may hold up the server.
import { setFlagsFromString } from 'node:v8';
import { createContext, Script } from 'node:vm';

// `^(a+)+$` can take years. After so many steps back V8 goes on with an engine that takes none, where it knows how to.
setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
setFlagsFromString('--regexp-backtracks-before-fallback=50000');
// Lets patterns be asked whether that engine knows how to, by a flag of V8's own.
setFlagsFromString('--enable-experimental-regexp-engine');
const LINEAR = 'l';

/** Tells whether a text matches. Undefined for what is no pattern. */
export function compilePattern(source: string): ((text: string) => boolean) | undefined {
  const pattern = readPattern(source);
  if (pattern === undefined) return undefined;
  const isLinear = readPattern(source, LINEAR) !== undefined;
  return isLinear ? (text) => pattern.test(text) : (text) => testInTime(pattern, text);
}

function readPattern(source: string, flags = ''): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

const MOST_MS = 20;

const script = new Script('pattern.test(text)');
const sandbox: { pattern?: RegExp; text?: string } = createContext({});

/** Back references and the like go back as often as they have to: what takes too long does not match. */
function testInTime(pattern: RegExp, text: string): boolean {
  Object.assign(sandbox, { pattern, text });
  try {
    return script.runInContext(sandbox, { timeout: MOST_MS }) as boolean;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return false;
  }
}
