// A menu: a button that opens a list of actions. Arrow keys, Home, End and first letters move; an action that is
// off says why below its name.
import { cloneElement, useEffect, type KeyboardEvent, type ReactElement } from 'react';
import { Link } from 'wouter';
import type { ButtonProps } from './button.tsx';
import { classNames } from './class-names.ts';
import { Icon, type IconName } from './icon.tsx';
import type { Alignment } from './place.ts';
import { usePopover } from './use-popover.ts';

export interface MenuItem {
  label: string;
  icon?: IconName | undefined;
  onSelect?: (() => void) | undefined;
  href?: string | undefined;
  tone?: 'danger' | undefined;
  disabledReason?: string | undefined;
  /** A line above it. */
  hasLine?: boolean | undefined;
}

export interface MenuProps {
  /** A `Button`. */
  trigger: ReactElement<ButtonProps>;
  items: MenuItem[];
  /** Which edges meet; `end` suits a button at the right of a row. */
  alignment?: Alignment | undefined;
}

export function Menu({ trigger, items, alignment = 'end' }: MenuProps) {
  const { isOpen, close, triggerProps, boxProps } = usePopover<HTMLDivElement>(alignment);
  const { ref } = boxProps;

  useEffect(() => {
    if (isOpen && ref.current !== null) moveTo(ref.current, 0);
  }, [isOpen, ref]);

  const onTriggerKeyDown = (event: KeyboardEvent<HTMLButtonElement>) => {
    if (event.key !== 'ArrowDown' || isOpen) return;
    event.preventDefault();
    event.currentTarget.click();
  };

  return (
    <>
      {cloneElement(trigger, { ...triggerProps, 'aria-haspopup': 'menu', onKeyDown: onTriggerKeyDown })}
      <div
        {...boxProps}
        className="pop menu"
        role="menu"
        tabIndex={-1}
        onKeyDown={(event) => onMenuKeyDown(event, close)}
      >
        {isOpen && items.map((item) => <MenuRow key={item.label} item={item} close={close} />)}
      </div>
    </>
  );
}

function MenuRow({ item, close }: { item: MenuItem; close: () => void }) {
  const { label, icon, href, onSelect, tone, disabledReason } = item;
  const props = {
    role: 'menuitem',
    tabIndex: -1,
    className: classNames(tone === 'danger' && 'is-bad'),
    // Moving the pointer over it moves the focus too, so that only one item is marked.
    onPointerMove: (event: React.PointerEvent<HTMLElement>) => event.currentTarget.focus(),
  };
  const content = (
    <>
      {icon !== undefined && <Icon name={icon} />}
      <span>
        {label}
        {disabledReason !== undefined && <small>{disabledReason}</small>}
      </span>
    </>
  );
  const select = () => {
    // First closed, so that a dialog that opens now gives the focus back to the button of the menu.
    close();
    onSelect?.();
  };
  return (
    <>
      {item.hasLine && <hr />}
      {href !== undefined && disabledReason === undefined ? (
        <Link {...props} href={href} onClick={select}>
          {content}
        </Link>
      ) : (
        <button
          {...props}
          type="button"
          aria-disabled={disabledReason === undefined ? undefined : true}
          onClick={disabledReason === undefined ? select : undefined}
        >
          {content}
        </button>
      )}
    </>
  );
}

function rowsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]')];
}

function moveTo(menu: HTMLElement, index: number): void {
  const rows = rowsOf(menu);
  rows.at(index % rows.length)?.focus();
}

function onMenuKeyDown(event: KeyboardEvent<HTMLElement>, close: () => void): void {
  const menu = event.currentTarget;
  const rows = rowsOf(menu);
  const at = rows.findIndex((row) => row === document.activeElement);
  const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: Math.max(at, 0) - 1, Home: 0, End: -1 };
  const next = moves[event.key];
  if (next !== undefined) {
    event.preventDefault();
    moveTo(menu, next);
  } else if (event.key === 'Tab') {
    close();
  } else if (event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey) {
    const letter = event.key.toLowerCase();
    const following = [...rows.slice(at + 1), ...rows.slice(0, at + 1)];
    following.find((row) => row.textContent.trim().toLowerCase().startsWith(letter))?.focus();
  }
}
