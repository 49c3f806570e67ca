// A label: its name beside a dot in its colour, so that every colour can be read in every theme.
import { cssVars } from '../../ui/css-vars.ts';
import type { Label } from './issue.ts';
import '../../styles/labels.css';

const COLOR = /^[0-9a-f]{6}$/i;

export function Swatch({ color }: { color: string }) {
  return (
    <span
      className="swatch"
      aria-hidden="true"
      style={COLOR.test(color) ? cssVars({ c: `#${color}` }) : undefined}
    />
  );
}

export function LabelTag({ label: { name, color } }: { label: Pick<Label, 'name' | 'color'> }) {
  return (
    <span className="tag lab">
      <Swatch color={color} />
      {name}
    </span>
  );
}
