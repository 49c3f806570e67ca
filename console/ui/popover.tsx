// Something small beside the button that opened it: a few fields, an explanation.
import { cloneElement, type ReactElement, type ReactNode } from 'react';
import type { ButtonProps } from './button.tsx';
import type { Alignment } from './place.ts';
import { usePopover } from './use-popover.ts';

export interface PopoverProps {
  /** A `Button`. */
  trigger: ReactElement<ButtonProps>;
  label: string;
  alignment?: Alignment | undefined;
  children: ReactNode | ((close: () => void) => ReactNode);
}

export function Popover({ trigger, label, alignment = 'start', children }: PopoverProps) {
  const { isOpen, close, triggerProps, boxProps } = usePopover<HTMLDivElement>(alignment);
  return (
    <>
      {cloneElement(trigger, { ...triggerProps, 'aria-haspopup': 'dialog' })}
      <div {...boxProps} className="pop pop--pad" role="dialog" aria-label={label}>
        {isOpen && (typeof children === 'function' ? children(close) : children)}
      </div>
    </>
  );
}
