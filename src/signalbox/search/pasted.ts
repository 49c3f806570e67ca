// What a pasted text may name: an id, an address of this server or of another one, a repository, an issue, a flag, a token.
import { TOKEN_PREFIX } from '../../kernel/identity/store-tokens.ts';

export type Pasted =
  | { what: 'id'; id: string }
  | { what: 'flag' | 'segment'; project: string; key: string }
  | { what: 'actor'; owner: string; name: string }
  | { what: 'repository'; owner: string; name: string }
  | { what: 'issue'; owner: string; name: string; number: number }
  | { what: 'token'; ending: string };

/** No id is shorter or longer, and no word of a language is so long. */
const ID = /^[0-9a-z]{17,32}$/i;
const ISSUE = /^([\w.-]+)\/([\w.-]+)#(\d{1,15})$/;
const PAIR = /^([\w.-]+)\/([\w.-]+)$/;
const ACTOR = /^([\w.-]+)~([\w.-]+)$/;
const TOKEN = new RegExp(
  `^(?:${TOKEN_PREFIX})?(?:…|\\.{2,3}|\\*+)([0-9A-Za-z]{4})$|^${TOKEN_PREFIX}([0-9A-Za-z]{4})$`,
);
/** Of addresses; what follows is what matters. */
const MAX_SEGMENTS = 20;

/** The most meaningful first. Most are wrong guesses: whether it is there, and may be seen, is asked later. */
export function parsePasted(text: string): Pasted[] {
  const pasted = text.trim();
  if (/\s/.test(pasted) || pasted.includes('\0')) return [];
  const segments = segmentsOf(pasted);
  if (segments !== undefined) return inAddress(segments);
  const [, owner, name, number] = ISSUE.exec(pasted) ?? [];
  if (owner !== undefined && name !== undefined)
    return [{ what: 'issue', owner, name, number: Number(number) }];
  const [, first, second] = PAIR.exec(pasted) ?? [];
  if (first !== undefined && second !== undefined) return inPair(first, second);
  const [, user, actor] = ACTOR.exec(pasted) ?? [];
  if (user !== undefined && actor !== undefined) return [{ what: 'actor', owner: user, name: actor }];
  if (ID.test(pasted)) return [{ what: 'id', id: pasted }];
  const ending = TOKEN.exec(pasted);
  return ending === null ? [] : [{ what: 'token', ending: ending[1] ?? ending[2]! }];
}

function inPair(first: string, second: string): Pasted[] {
  return [
    { what: 'repository', owner: first, name: second.replace(/\.git$/, '') },
    { what: 'actor', owner: first, name: second },
    { what: 'flag', project: first, key: second },
  ];
}

/** The decoded path of an address, or of a path that begins with a slash. */
function segmentsOf(text: string): string[] | undefined {
  const isAddress = /^https?:\/\//i.test(text);
  if (!isAddress && !text.startsWith('/')) return undefined;
  try {
    const { pathname } = new URL(text, 'http://server.invalid');
    return pathname
      .split('/')
      .filter((segment) => segment !== '')
      .slice(0, MAX_SEGMENTS)
      .map((segment) => decodeURIComponent(segment));
  } catch {
    return [];
  }
}

/** Words at the beginning that only say which API or page it is. */
const PREFIXES = new Set(['console', 'api', 'v2', 'v3', 'signalbox', 'v1', 'repos', 'code']);

function inAddress(all: readonly string[]): Pasted[] {
  if (all.some((segment) => segment.includes('\0'))) return [];
  const start = all.findIndex((segment) => !PREFIXES.has(segment));
  const segments = start === -1 ? [] : all.slice(start);
  return [
    ...inFlagPath(segments),
    ...segments
      .toReversed()
      .flatMap((segment) => (ID.test(segment) ? [{ what: 'id' as const, id: segment }] : [])),
    ...segments.flatMap((segment) => {
      const [, owner, name] = ACTOR.exec(segment) ?? [];
      return owner === undefined || name === undefined ? [] : [{ what: 'actor' as const, owner, name }];
    }),
    ...inHostPath(segments),
  ];
}

/** `flags/shop/dark`, `projects/shop/flags/dark`, `shop/production/features/dark`, and the same of segments. */
function inFlagPath(segments: readonly string[]): Pasted[] {
  const at = segments.findIndex((segment) => ['flags', 'features', 'segments'].includes(segment));
  if (at === -1) return [];
  const what = segments[at] === 'segments' ? 'segment' : 'flag';
  const after = segments.slice(at + 1);
  // Before it stands the project, behind it the key.
  if (at >= 2) {
    const [project, key] =
      segments[at - 2] === 'projects' ? [segments[at - 1], after[0]] : [segments[at - 2], after[0]];
    return project === undefined || key === undefined ? [] : [{ what, project, key }];
  }
  const [project, ...rest] = after;
  if (project === undefined) return [];
  // Addresses of the API name the environment of a segment before its key.
  const keys = what === 'segment' ? rest.slice(0, 2).toReversed() : rest.slice(0, 1);
  return keys.map((key) => ({ what, project, key }));
}

/** `ada/site`, `ada/site/issues/12`, `ada/site/pull/12`, wherever the address goes on. */
function inHostPath([owner, name, page, number]: readonly string[]): Pasted[] {
  if (owner === undefined || name === undefined) return [];
  const repository = { owner, name: name.replace(/\.git$/, '') };
  if (page !== undefined && ['issues', 'pull', 'pulls'].includes(page) && /^\d{1,15}$/.test(number ?? ''))
    return [{ what: 'issue', ...repository, number: Number(number) }];
  return [
    { what: 'repository', ...repository },
    { what: 'actor', owner, name },
  ];
}
