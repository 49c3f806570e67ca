// Numbers with their units, for cells and figures.
import { formatBytes, formatCount, formatDuration } from './format.ts';

export function Count({
  value,
  isShort,
  isEstimate,
}: {
  value: number;
  isShort?: boolean;
  isEstimate?: boolean;
}) {
  const text = formatCount(value, { isShort: isShort ?? false, isEstimate: isEstimate ?? false });
  return (
    <span className="nw" title={isShort ? formatCount(value) : undefined}>
      {text}
    </span>
  );
}

export function Bytes({ value }: { value: number }) {
  return (
    <span className="nw" title={`${formatCount(value)} B`}>
      {formatBytes(value)}
    </span>
  );
}

/** A span of time in milliseconds. */
export function Duration({ value }: { value: number }) {
  return <span className="nw">{formatDuration(value)}</span>;
}
