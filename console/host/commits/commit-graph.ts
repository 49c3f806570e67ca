// The lines between commits and their parents, row by row, for a list that begins with the newest.
export interface GraphRow {
  /** The lane of the commit. */
  at: number;
  /** From a lane at the top of the row to one at its bottom, past the commit. */
  past: readonly (readonly [from: number, to: number])[];
  /** Lanes at the top that end at the commit: those of its children. */
  from: readonly number[];
  /** Lanes at the bottom that lead to its parents. */
  to: readonly number[];
}

interface GraphCommit {
  sha: string;
  parents: readonly { sha: string }[];
}

/** Undefined where one commit follows the other, and where there are more lanes than can be told apart. */
export function graphOf(commits: readonly GraphCommit[]): readonly GraphRow[] | undefined {
  const rows: GraphRow[] = [];
  /** The commits that the lanes lead to. */
  let lanes: string[] = [];
  for (const { sha, parents } of commits) {
    const known = lanes.indexOf(sha);
    const at = known === -1 ? lanes.length : known;
    const next = lanes.filter((one) => one !== sha);
    for (const [index, parent] of parents.entries())
      if (!next.includes(parent.sha)) next.splice(index === 0 ? at : next.length, 0, parent.sha);
    rows.push({
      at,
      past: lanes.flatMap((one, lane) => (one === sha ? [] : [[lane, next.indexOf(one)] as const])),
      from: known === -1 ? [] : [at],
      to: parents.map((parent) => next.indexOf(parent.sha)),
    });
    lanes = next;
  }
  const width = widthOf(rows);
  return width > 1 && width <= MAX_LANES ? rows : undefined;
}

const MAX_LANES = 12;

/** How many lanes the widest row has. */
export function widthOf(rows: readonly GraphRow[]): number {
  return 1 + Math.max(0, ...rows.map(({ at, past, to }) => Math.max(at, ...past.flat(), ...to)));
}
