// Buttons. One that is off says why: it keeps the focus, and shows its reason when it is pointed at, focused or
// tapped. An action that is never possible for the reader is absent instead.
import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'wouter';
import { classNames } from './class-names.ts';
import { Icon, type IconName } from './icon.tsx';
import { useTip, type Tip } from './tip.tsx';

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

/** The element stays when the reason comes or goes: it keeps the focus, and a click that has begun. */
export function Button(props: ButtonProps) {
  const { tone, size, icon, label, keys, hasCaret, isBusy, disabledReason, children, className, ...rest } =
    props;
  const look = { tone, size, icon, label, keys, hasCaret };
  const tip = useTip(disabledReason);
  const isOff = disabledReason !== undefined;
  return (
    <>
      <button
        type="button"
        aria-label={label}
        {...(!isOff && { 'aria-keyshortcuts': keys, 'aria-busy': isBusy || undefined })}
        {...rest}
        {...(isOff ? offProps(tip) : isBusy === true && { 'aria-disabled': true, onClick: preventDefault })}
        className={lookOf(look, children, className)}
      >
        <ButtonContent {...look}>{children}</ButtonContent>
      </button>
      {tip.element}
    </>
  );
}

function offProps({ anchorProps, showAt }: Tip): ComponentProps<'button'> {
  return {
    // Neither a form nor a popover may be reached through it.
    type: 'button',
    popoverTarget: undefined,
    ...anchorProps,
    'aria-disabled': true,
    onClick: (event) => {
      event.preventDefault();
      showAt(event.currentTarget);
    },
  };
}

const preventDefault = (event: { preventDefault(): void }) => event.preventDefault();

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
