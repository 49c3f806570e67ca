// Buttons. One that is off says why: it keeps the focus, and shows its reason when it is pointed at, focused or
// tapped. An action that is never possible for the reader is absent instead.
import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'wouter';
import { classNames } from './class-names.ts';
import { Icon, type IconName } from './icon.tsx';
import { useTip } from './tip.tsx';

export type ButtonTone = 'primary' | 'quiet' | 'ghost' | 'danger' | 'danger-fill' | 'production';

interface ButtonLook {
  /** `quiet` where it is not given. */
  tone?: ButtonTone | undefined;
  size?: 'lg' | 'md' | 'sm' | 'xs' | undefined;
  icon?: IconName | undefined;
  /** The name of a button that has an icon only. */
  label?: string | undefined;
  /** The key that does the same, shown beside the words. */
  keys?: string | undefined;
  /** A caret after the words: the button opens a list. */
  hasCaret?: boolean | undefined;
}

export interface ButtonProps extends ButtonLook, Omit<ComponentProps<'button'>, 'disabled'> {
  /** Why it cannot be pressed now; undefined where it can. */
  disabledReason?: string | undefined;
  /** The action is under way: pressing again does nothing. */
  isBusy?: boolean | undefined;
}

export function Button({ disabledReason, ...props }: ButtonProps) {
  if (disabledReason !== undefined) return <DisabledButton {...props} reason={disabledReason} />;
  return <EnabledButton {...props} />;
}

function EnabledButton(props: Omit<ButtonProps, 'disabledReason'>) {
  const { tone, size, icon, label, keys, hasCaret, isBusy = false, children, className, ...rest } = props;
  const look = { tone, size, icon, label, keys, hasCaret };
  return (
    <button
      type="button"
      aria-label={label}
      aria-keyshortcuts={keys}
      {...rest}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : rest.onClick}
      className={lookOf(look, children, className)}
    >
      <ButtonContent {...look}>{children}</ButtonContent>
    </button>
  );
}

function DisabledButton(props: Omit<ButtonProps, 'disabledReason'> & { reason: string }) {
  const { tone, size, icon, label, keys, hasCaret, isBusy: _, children, className, reason, ...rest } = props;
  const look = { tone, size, icon, label, keys, hasCaret };
  const tip = useTip(reason);
  return (
    <>
      <button
        aria-label={label}
        {...rest}
        // Neither a form nor a popover may be reached through it.
        type="button"
        popoverTarget={undefined}
        {...tip.anchorProps}
        aria-disabled="true"
        onClick={(event) => {
          event.preventDefault();
          tip.showAt(event.currentTarget);
        }}
        className={lookOf(look, children, className)}
      >
        <ButtonContent {...look}>{children}</ButtonContent>
      </button>
      {tip.element}
    </>
  );
}

export interface ButtonLinkProps extends ButtonLook {
  href: string;
  /** An address outside of the console, or a file: the browser goes there itself. */
  isExternal?: boolean | undefined;
  disabledReason?: string | undefined;
  className?: string | undefined;
  children?: ReactNode;
}

/** A link that looks like a button. */
export function ButtonLink(props: ButtonLinkProps) {
  const { href, isExternal = false, disabledReason, className, children, ...look } = props;
  if (disabledReason !== undefined) {
    return (
      <Button {...look} className={className} disabledReason={disabledReason}>
        {children}
      </Button>
    );
  }
  const name = lookOf(look, children, className);
  const content = <ButtonContent {...look}>{children}</ButtonContent>;
  return isExternal ? (
    <a href={href} className={name} aria-label={look.label}>
      {content}
    </a>
  ) : (
    <Link href={href} className={name} aria-label={look.label}>
      {content}
    </Link>
  );
}

function ButtonContent({ icon, keys, children }: ButtonLook & { children?: ReactNode }) {
  return (
    <>
      {icon !== undefined && <Icon name={icon} />}
      {children}
      {keys !== undefined && (
        <kbd aria-hidden="true" className="no-s">
          {keys}
        </kbd>
      )}
    </>
  );
}

const toneClass: Record<ButtonTone, string | undefined> = {
  primary: 'btn--pri',
  quiet: undefined,
  ghost: 'btn--ghost',
  danger: 'btn--bad',
  'danger-fill': 'btn--badfill',
  production: 'btn--prod',
};

function lookOf(look: ButtonLook, children: ReactNode, className: string | undefined): string | undefined {
  const { tone = 'quiet', size = 'md', icon, hasCaret } = look;
  const isIconOnly = icon !== undefined && (children === undefined || children === null);
  return classNames(
    'btn',
    toneClass[tone],
    size !== 'md' && `btn--${size}`,
    isIconOnly && 'btn--ico',
    hasCaret && 'caret',
    className,
  );
}
