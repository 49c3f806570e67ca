// Finds which rules of the ledger are held by tests, from the names of the tests alone.

export type Ledger = Record<string, [id: string, title: string][]>;

export type Coverage = {
  apis: { api: string; total: number; covered: string[]; missing: string[] }[];
  /** Test names that begin with a number the ledger does not have. */
  unknown: { path: string; id: string }[];
};

// A test's name is the first argument of `test(…)`, also inside loops. Skipped and pending tests do not count.
const NAME = /\b(?:test|it)\(\s*['"`]((?:[A-Z]\d+:?\s)+)/g;
const COMMENT_LINE = /^\s*(?:\/\/|\*).*/gm;

/** The rules that are held, but by no test that `npm test` runs. */
export function findLongOnly(
  ledger: Ledger,
  tests: ReadonlyMap<string, string>,
  { isLong, longTests }: { isLong: (path: string) => boolean; longTests: readonly string[] },
): string[] {
  const withoutLong = (text: string) => longTests.reduce((rest, name) => rest.replaceAll(name, ''), text);
  const quick = new Map(
    [...tests].filter(([path]) => !isLong(path)).map(([path, text]) => [path, withoutLong(text)]),
  );
  const coveredBy = (some: ReadonlyMap<string, string>) =>
    findCoverage(ledger, some).apis.flatMap(({ covered }) => covered);
  const held = new Set(coveredBy(quick));
  return coveredBy(tests).filter((id) => !held.has(id));
}

export function findCoverage(ledger: Ledger, tests: ReadonlyMap<string, string>): Coverage {
  const named = [...tests].flatMap(([path, text]) =>
    [...text.replace(COMMENT_LINE, '').matchAll(NAME)].flatMap(([, ids = '']) =>
      (ids.match(/\w+/g) ?? []).map((id) => ({ path, id })),
    ),
  );
  const held = new Set(named.map(({ id }) => id));
  const known = new Set(Object.values(ledger).flatMap((rules) => rules.map(([id]) => id)));
  return {
    apis: Object.entries(ledger).map(([api, rules]) => {
      const ids = rules.map(([id]) => id);
      return {
        api,
        total: ids.length,
        covered: ids.filter((id) => held.has(id)),
        missing: ids.filter((id) => !held.has(id)),
      };
    }),
    unknown: named.filter(({ id }) => !known.has(id)),
  };
}
