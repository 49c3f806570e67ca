// Does slow work once, for all who ask; work that failed is done again.

export function memoizeAsync<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let kept: Promise<Result> | undefined;
  return () => {
    kept ??= work().catch((error: unknown) => {
      kept = undefined;
      throw error;
    });
    return kept;
  };
}
