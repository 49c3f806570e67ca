// Loaded into a server before it starts (node --expose-gc --import): reports its live memory to the parent on request.
export interface MemoryReport {
  /** Live objects and buffers. */
  used: number;
  /** The memory of the process. */
  resident: number;
}

/** Buffers are freed by the second one, and code that is no longer used only after several. */
const COLLECTIONS = 10;
const collect = globalThis.gc!;

process.on('message', () => {
  for (let count = 0; count < COLLECTIONS; count += 1) collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ used: heapUsed + external, resident: rss } satisfies MemoryReport);
});
process.channel?.unref();
