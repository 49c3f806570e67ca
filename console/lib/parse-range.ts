// Lines that an address points at: `#L120-L140`.

export interface LineRange {
  from: number;
  to: number;
}

export function parseRange(hash: string): LineRange | undefined {
  const [, from, to] = /^#L(\d{1,9})(?:-L?(\d{1,9}))?$/.exec(hash) ?? [];
  if (from === undefined) return undefined;
  const ends = [Number(from), Number(to ?? from)];
  return { from: Math.min(...ends), to: Math.max(...ends) };
}
