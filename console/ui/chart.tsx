// Small charts: a sparkline and a meter.
import { classNames } from './class-names.ts';
import { cssVars } from './css-vars.ts';

const width = 64;
const height = 20;

export interface SparklineProps {
  values: number[];
  /** Undefined where the number beside it says enough. */
  label?: string | undefined;
  tone?: 'accent' | 'run' | 'bad' | 'muted' | undefined;
  isWide?: boolean | undefined;
}

/** Begins at zero, so that small changes look small. */
export function Sparkline({ values, label, tone = 'accent', isWide }: SparklineProps) {
  if (values.length < 2) return null;
  const top = Math.max(...values, 1);
  const points = values.map((value, index) => {
    const x = (index / (values.length - 1)) * width;
    const y = height - 2 - (Math.max(0, value) / top) * (height - 4);
    return `${round(x)} ${round(y)}`;
  });
  const line = `M${points.join('L')}`;
  return (
    <svg
      className={classNames('spark', isWide && 'spark--w')}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      style={cssVars({ sc: `var(--${tone})` })}
      role={label === undefined ? undefined : 'img'}
      aria-label={label}
      aria-hidden={label === undefined}
    >
      <path className="a" d={`${line}L${width} ${height}H0z`} />
      <path d={line} />
    </svg>
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export interface MeterProps {
  label: string;
  value: number;
  max: number;
  /** The value in words: "4,310 of 5,000 calls". */
  text?: string | undefined;
  tone?: 'ok' | 'warn' | 'bad' | 'run' | undefined;
}

export function Meter({ label, value, max, text, tone }: MeterProps) {
  const share = max > 0 ? Math.max(0, Math.min(100, (value / max) * 100)) : 0;
  return (
    <span
      className={classNames('meter', tone !== undefined && `meter--${tone}`)}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.max(0, Math.min(value, max))}
      aria-valuetext={text}
    >
      <i style={cssVars({ w: share })} />
    </span>
  );
}
