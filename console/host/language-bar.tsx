// What a repository is written in, as a bar.
import { cssVars } from '../ui/css-vars.ts';
import '../styles/languages.css';

/** The others are summed up by what is missing from the bar. */
const MOST = 5;
const COLOURS = ['A', 'E', 'C', 'B', 'D'];

export interface LanguageShare {
  name: string;
  /** In percent. */
  share: number;
  colour: string;
}

export function sharesOf(languages: readonly { name: string; bytes: number }[]): LanguageShare[] {
  const sum = languages.reduce((total, { bytes }) => total + bytes, 0);
  if (sum === 0) return [];
  return languages
    .toSorted((one, other) => other.bytes - one.bytes)
    .slice(0, MOST)
    .map(({ name, bytes }, index) => ({
      name,
      share: (bytes / sum) * 100,
      colour: `var(--v${COLOURS[index]!})`,
    }));
}

export function shareText(share: number): string {
  return `${share < 1 ? '< 1' : Math.round(share)} %`;
}

/** The words are beside it, or in its label. */
export function LanguageBar({ shares, label }: { shares: readonly LanguageShare[]; label?: string }) {
  return (
    <div
      className="langs"
      role={label === undefined ? undefined : 'img'}
      aria-label={label}
      title={label}
      aria-hidden={label === undefined}
    >
      {shares.map(({ name, share, colour }) => (
        <i key={name} style={cssVars({ w: share, c: colour })} />
      ))}
    </div>
  );
}
