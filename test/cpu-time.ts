// How much work something is, as the time of the processor that it takes: others on the machine do not add to it.

/** Milliseconds of this process. */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
