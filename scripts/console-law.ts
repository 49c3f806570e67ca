// The import law of console/: widgets know no page, calls know no widget, and sections do not know each other.
import { posix } from 'node:path';
import type { Violation } from './import-law.ts';

/** What each folder may import beside itself. Every other folder is a section. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  api: [],
  ui: [],
  lib: ['api', 'ui'],
  app: ['api', 'ui', 'lib'],
};
const BELOW_SECTIONS = ['api', 'ui', 'lib', 'app', 'styles'];
const IMPORT = /(?:from|import) '(\.[^']*)'|import\('(\.[^']*)'\)/g;

/** `files` are texts by their paths, which begin with `console/`. */
export function findConsoleViolations(files: ReadonlyMap<string, string>): Violation[] {
  return [...files].flatMap(([path, text]) => {
    const folder = folderOf(path);
    // The entry puts everything together.
    if (folder === undefined) return [];
    return [...text.matchAll(IMPORT)].flatMap((match) => {
      const [, plain, lazy] = match;
      const target = posix.join(posix.dirname(path), plain ?? lazy!);
      const line = text.slice(0, match.index).split('\n').length;
      const rule = ruleAgainst(folder, target, lazy !== undefined);
      return rule === undefined ? [] : [{ path, line, rule }];
    });
  });
}

/** Undefined for what stands in no folder. */
function folderOf(path: string): string | undefined {
  const [, folder, rest] = path.split('/');
  return rest === undefined ? undefined : folder;
}

function ruleAgainst(from: string, target: string, isLazy: boolean): string | undefined {
  if (!target.startsWith('console/')) return 'the console talks to the server by HTTP only';
  const to = folderOf(target)!;
  const allowed = BELOW[from] ?? BELOW_SECTIONS;
  if (to === from || to === 'styles' || allowed.includes(to)) return undefined;
  // Pages are loaded when they are opened.
  if (from === 'app' && isLazy) return undefined;
  return `${from} must not import ${to}`;
}
