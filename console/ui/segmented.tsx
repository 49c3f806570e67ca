// One of few, side by side: radio buttons for a screen reader, moved by the arrow keys.
import type { KeyboardEvent, ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { Icon, type IconName } from './icon.tsx';

export interface SegmentedProps<Value extends string> {
  label: string;
  value: Value;
  options: { value: Value; label: ReactNode; icon?: IconName | undefined }[];
  onChange: (value: Value) => void;
  size?: 'md' | 'sm' | undefined;
}

const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export function Segmented<Value extends string>(props: SegmentedProps<Value>) {
  const { label, value, options, onChange, size = 'md' } = props;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = options.findIndex((option) => option.value === value);
    const next = (at + step + options.length) % options.length;
    const option = options[next];
    if (option === undefined) return;
    onChange(option.value);
    const button = event.currentTarget.parentElement?.children[next];
    if (button instanceof HTMLElement) button.focus();
  };
  return (
    <div className={classNames('seg', size === 'sm' && 'seg--sm')} role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === value}
          tabIndex={option.value === value ? 0 : -1}
          onClick={() => onChange(option.value)}
          onKeyDown={onKeyDown}
        >
          {option.icon !== undefined && <Icon name={option.icon} />}
          {option.label}
        </button>
      ))}
    </div>
  );
}
