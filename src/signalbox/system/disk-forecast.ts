// When a disk is full, if it goes on as in the last days.

export interface DiskForecast {
  /** Absent where it does not fill up, or not within years. */
  fullAt?: number;
  bytesPerDay: number;
}

const DAY = 24 * 60 * 60 * 1000;
/** A shorter time says nothing about the next weeks. */
const MIN_SPAN_MS = DAY / 2;
const MAX_AHEAD_MS = 3 * 365 * DAY;

/** The line with the least squares through what was used. Undefined where too little is known. */
export function forecastDisk(
  samples: readonly { at: number; bytes: number }[],
  totalBytes: number,
  now: number,
): DiskForecast | undefined {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.at - first.at < MIN_SPAN_MS) return undefined;
  const meanAt = mean(samples.map(({ at }) => at));
  const meanBytes = mean(samples.map(({ bytes }) => bytes));
  let products = 0;
  let squares = 0;
  for (const { at, bytes } of samples) {
    products += (at - meanAt) * (bytes - meanBytes);
    squares += (at - meanAt) ** 2;
  }
  const bytesPerMs = products / squares;
  const bytesPerDay = Math.round(bytesPerMs * DAY);
  if (bytesPerMs <= 0) return { bytesPerDay };
  const leftMs = Math.max(0, totalBytes - last.bytes) / bytesPerMs;
  return leftMs > MAX_AHEAD_MS ? { bytesPerDay } : { bytesPerDay, fullAt: Math.round(now + leftMs) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
