// Values for the stylesheet. React sets them through the style object of the element, which the content policy
// allows; a style attribute in markup it does not.
import type { CSSProperties } from 'react';

/** `cssVars({ w: 40 })` sets `--w: 40`. */
export function cssVars(values: Record<string, string | number>): CSSProperties {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`--${name}`, value]));
}
