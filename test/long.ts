// How often a randomized test repeats: a few times in every run, many times in a long one.

/** `npm run check -- --long` sets it. */
export const isLongRun = process.env['SIGNALBOX_LONG_TESTS'] === '1';

export function rounds(usual: number, long: number): number {
  return isLongRun ? long : usual;
}
