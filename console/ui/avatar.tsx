// Who did it: initials in a circle for a person, a glyph in a square for a machine. The colour follows from the
// name, so that it is the same everywhere.
import { classNames } from './class-names.ts';
import { Icon } from './icon.tsx';
import { words } from './words.ts';

export interface AvatarProps {
  name: string;
  kind?: 'person' | 'machine' | undefined;
  size?: 20 | 24 | undefined;
  /** The name stands beside it already. */
  isDecorative?: boolean | undefined;
}

const colours = ['A', 'B', 'C', 'D', 'E'];

export function Avatar({ name, kind = 'person', size = 24, isDecorative = false }: AvatarProps) {
  const isMachine = kind === 'machine';
  const look = isMachine ? 'av--bot' : `av--${colourOf(name)}`;
  const className = classNames('av', look, size === 24 && 'av--24');
  const content = isMachine ? <Icon name="bolt" /> : initialsOf(name);
  return isDecorative ? (
    <span className={className} aria-hidden="true">
      {content}
    </span>
  ) : (
    <span className={className} role="img" aria-label={name || words.nobody}>
      {content}
    </span>
  );
}

/** The first letters of the first and the last word of the part before an `@`. */
function initialsOf(name: string): string {
  const parts = (name.split('@')[0] ?? '').split(/[\s._-]+/u).filter((part) => part !== '');
  const letters = [parts[0], parts.length > 1 ? parts.at(-1) : undefined].map(
    (part) => [...(part ?? '')][0] ?? '',
  );
  const initials = letters.join('').toUpperCase();
  return initials === '' ? '?' : initials;
}

function colourOf(name: string): string {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return colours[sum % colours.length] ?? 'A';
}
