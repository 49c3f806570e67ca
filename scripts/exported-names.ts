// The names that src/ exports: each stands for one thing in the whole tree, so that a search for it finds that thing.

export type DoubleName = { name: string; paths: string[] };

/** Names that sibling folders share because they mean the same in each, with the reason. */
const SHARED: Readonly<Record<string, string>> = {
  renderError: 'the error format of each API',
  status: 'the table of statuses of each API',
  versions: 'the table of versions of each API',
  rootModule: 'the entry point of each API',
  rootRoutes: 'the entry point of each API',
  userModule: 'users, as each API shows them',
  userRoutes: 'users, as each API shows them',
  PublicUser: 'users, as each API shows them',
  PrivateUser: 'users, as each API shows them',
  toPublicUser: 'users, as each API shows them',
  toPrivateUser: 'users, as each API shows them',
};

const DECLARATION =
  /^export (?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type) (\w+)|^export (?:type )?\{([^}]*)\};/gm;

/** Takes the source texts by path (`src/…`), and returns every name that more than one file exports. */
export function findDoubleNames(sources: ReadonlyMap<string, string>): DoubleName[] {
  const pathsOf = new Map<string, string[]>();
  for (const [path, text] of sources) {
    if (isOfTests(path)) continue;
    for (const name of new Set(exportsOf(text))) {
      const paths = pathsOf.get(name) ?? [];
      pathsOf.set(name, [...paths, path]);
    }
  }
  return [...pathsOf]
    .filter(([name, paths]) => paths.length > 1 && !Object.hasOwn(SHARED, name))
    .map(([name, paths]) => ({ name, paths: paths.toSorted() }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Leaves out `export … from`: a name passed on from another file stands for the same thing. */
function exportsOf(text: string): string[] {
  return [...text.matchAll(DECLARATION)].flatMap(([, declared, list = '']) =>
    declared === undefined ? listedNames(list) : [declared],
  );
}

function listedNames(list: string): string[] {
  return list
    .split(',')
    .map((item) => item.trim().replace(/^type /, ''))
    .map((item) => item.split(' as ').at(-1)!)
    .filter((name) => name !== '');
}

/** Test files, and the fixtures beside them. */
function isOfTests(path: string): boolean {
  return /(\.test|\/fixture(-[a-z-]+)?)\.ts$/.test(path);
}
