// Icons and the mark. An icon is decoration: the word stands beside it, or is the label of what holds it.
import { cssVars } from './css-vars.ts';
import { iconShapes } from './icon-shapes.tsx';

export type IconName = keyof typeof iconShapes;

export interface IconProps {
  name: IconName;
  /** In pixels; 16 where it is not given, or what the widget around it says. */
  size?: 12 | 14 | 16 | 18 | 20 | undefined;
  className?: string | undefined;
}

export function Icon({ name, size, className }: IconProps) {
  const scale = size === undefined ? undefined : cssVars({ k: size / 16 });
  return (
    <svg
      className={className === undefined ? 'i' : `i ${className}`}
      viewBox="0 0 16 16"
      aria-hidden="true"
      focusable="false"
      style={scale}
    >
      {iconShapes[name]}
    </svg>
  );
}

/** The mark of the product. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 22 22" aria-hidden="true" focusable="false">
      <rect width="22" height="22" rx="6" fill="var(--accent)" />
      <path
        d="M4 14.5h14M7.5 14.5c4 0 3-7 7-7H18"
        fill="none"
        stroke="var(--on-accent)"
        strokeWidth="1.75"
        strokeLinecap="round"
      />
      <circle cx="6.5" cy="8" r="2" fill="var(--on-accent)" />
    </svg>
  );
}
