// Keys of flags: made from a name as the project wants them, and checked as the server checks them.
import { NEW_FLAG_WORDS as WORDS } from './new-flag-words.ts';

export type KeyCase = 'none' | 'camelCase' | 'upperCamelCase' | 'snakeCase' | 'kebabCase' | 'constantCase';

export interface NamingConvention {
  case?: KeyCase;
  prefix?: string;
}

const KEY = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;
const MAX_KEY = 256;
/** A name may be longer than a key is good to read. */
const MAX_MADE = 100;

const CASES: Readonly<Record<KeyCase, RegExp>> = {
  none: /^/,
  camelCase: /^[a-z][a-zA-Z0-9]*$/,
  upperCamelCase: /^[A-Z][a-zA-Z0-9]*$/,
  snakeCase: /^[a-z0-9]+(?:_[a-z0-9]+)*$/,
  kebabCase: /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
  constantCase: /^[A-Z0-9]+(?:_[A-Z0-9]+)*$/,
};

/** Empty where the name has no letter that a key may have: then it is typed by hand. */
export function keyFrom(name: string, { case: wanted = 'none', prefix = '' }: NamingConvention = {}): string {
  const words = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/['’]/g, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const made = join(words, wanted)
    .slice(0, MAX_MADE)
    .replace(/[-_]+$/, '');
  return made === '' ? '' : prefix + made;
}

function join(words: readonly string[], wanted: KeyCase): string {
  const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);
  switch (wanted) {
    case 'camelCase':
      return words.map((word, index) => (index === 0 ? word : capital(word))).join('');
    case 'upperCamelCase':
      return words.map(capital).join('');
    case 'snakeCase':
      return words.join('_');
    case 'constantCase':
      return words.join('_').toUpperCase();
    default:
      return words.join('-');
  }
}

/** What is wrong with it, as a sentence. */
export function keyProblem(
  key: string,
  { case: wanted = 'none', prefix = '' }: NamingConvention = {},
): string | undefined {
  if (key === '') return WORDS.keyMissing;
  if (!KEY.test(key)) return WORDS.keyPattern;
  if (key.length > MAX_KEY) return WORDS.keyLong(MAX_KEY);
  if (!key.startsWith(prefix)) return WORDS.keyPrefix(prefix);
  if (!CASES[wanted].test(key.slice(prefix.length))) return WORDS.keyCase(WORDS.cases[wanted]);
  return undefined;
}
