// An environment by its own colour, name and key; a critical one has a shield.
import '../styles/environment-name.css';
import { cssVars } from '../ui/css-vars.ts';
import { Icon } from '../ui/icon.tsx';
import type { Environment } from './queries.ts';

export function EnvironmentDot({ color }: { color: string }) {
  // What is no colour leaves the usual one.
  const isColor = /^(?:[\da-f]{3}|[\da-f]{6})$/i.test(color);
  return <span className="envdot" style={isColor ? cssVars({ e: `#${color}` }) : undefined} />;
}

export function EnvironmentName({ environment }: { environment: Environment | undefined }) {
  if (environment === undefined) return null;
  const { key, name, color, critical } = environment;
  return (
    <span className="row envname">
      <EnvironmentDot color={color} />
      <span className="cut">{key}</span>
      {name.toLowerCase() !== key.toLowerCase() && <span className="muted t12 cut">{name}</span>}
      {critical && <Icon name="shield" className="prod" />}
    </span>
  );
}
