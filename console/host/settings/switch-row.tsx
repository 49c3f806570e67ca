// A sentence with the switch that makes it true, and what it is made of below it.
import type { ReactNode } from 'react';
import { Switch } from '../../ui/choice.tsx';

export interface SwitchRowProps {
  label: string;
  help?: string | undefined;
  isOn: boolean;
  /** Why it cannot be switched. */
  reason?: string | undefined;
  onChange: (isOn: boolean) => void;
  children?: ReactNode;
}

export function SwitchRow({ label, help, isOn, reason, onChange, children }: SwitchRowProps) {
  const hasParts = children !== undefined && children !== null && children !== false;
  return (
    <li>
      <div>
        <p className="w5">{label}</p>
        {help !== undefined && <p className="muted">{help}</p>}
      </div>
      <Switch isOn={isOn} label={label} reason={reason} onChange={onChange} />
      {hasParts && <div className="rset__sub">{children}</div>}
    </li>
  );
}
