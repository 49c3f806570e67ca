// The way from an error to its place in the documentation.
import { TextLink } from './link.tsx';
import { words } from './words.ts';

export function ErrorHelp({ href }: { href: string | undefined }) {
  if (href === undefined) return null;
  return (
    <TextLink href={href} isExternal>
      {words.errorHelp}
    </TextLink>
  );
}
