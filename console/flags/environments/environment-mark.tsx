// The colour of an environment, as a dot before its name.
import '../../styles/environments.css';
import { cssVars } from '../../ui/css-vars.ts';

const COLOR = /^([0-9a-f]{3}|[0-9a-f]{6})$/i;

/** Only decoration: the name stands beside it. */
export function EnvironmentMark({ color }: { color: string }) {
  return (
    <span
      className="env-mark"
      aria-hidden="true"
      style={cssVars({ mark: COLOR.test(color) ? `#${color}` : 'transparent' })}
    />
  );
}
