// Finds a name that is not taken: the wanted one, or the wanted one with a number appended.
const BATCH_SIZE = 50;

interface WantedName {
  name: string;
  maxLength: number;
  /** The first number that is appended. */
  firstNumber: number;
}

/** `findTaken` gets names in lower case, and returns those of them that are taken, in any case. */
export async function findFreeName(
  { name, maxLength, firstNumber }: WantedName,
  findTaken: (folded: readonly string[]) => Promise<readonly string[]>,
): Promise<string> {
  // The wanted name comes first, in the place of the number before the first.
  const unnumbered = firstNumber - 1;
  for (let start = unnumbered; ; start += BATCH_SIZE) {
    const candidates = Array.from({ length: BATCH_SIZE }, (_, index) => {
      const ending = start + index === unnumbered ? '' : `-${start + index}`;
      return name.slice(0, maxLength - ending.length) + ending;
    });
    const found = await findTaken(candidates.map((candidate) => candidate.toLowerCase()));
    const taken = new Set(found.map((each) => each.toLowerCase()));
    const free = candidates.find((candidate) => !taken.has(candidate.toLowerCase()));
    if (free !== undefined) return free;
  }
}
