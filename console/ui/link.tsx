// A link in a text: underlined, so that it is not known by its colour alone.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { classNames } from './class-names.ts';

export interface TextLinkProps {
  href: string;
  children: ReactNode;
  /** An address outside of the console: it opens in a tab of its own, which learns nothing about this one. */
  isExternal?: boolean | undefined;
  isMono?: boolean | undefined;
}

export function TextLink({ href, children, isExternal = false, isMono = false }: TextLinkProps) {
  const className = classNames('ln', isMono && 'mono');
  if (isExternal) {
    return (
      <a href={href} className={className} target="_blank" rel="noreferrer">
        {children}
      </a>
    );
  }
  return (
    <Link href={href} className={className}>
      {children}
    </Link>
  );
}
