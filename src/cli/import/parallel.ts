// Works on several items at a time.

/** The first error stops the work: no further item is begun, and those under way are waited for. */
export async function forEachParallel<Item>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  let hasFailed = false;
  const worker = async () => {
    while (next < items.length && !hasFailed) {
      const item = items[next]!;
      next += 1;
      try {
        await work(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: Math.min(width, items.length) }, worker));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
