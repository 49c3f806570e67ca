// A storage by its id: a link to its page.
import { hasPage } from '../app/pages.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { TextLink } from '../ui/link.tsx';

export type StorageKind = 'datasets' | 'stores' | 'queues';

export function hrefOfStorage(kind: StorageKind, id: string): string {
  return `/storage/${kind}/${encodeURIComponent(id)}`;
}

export function StorageLink({ kind, id, copyLabel }: { kind: StorageKind; id: string; copyLabel: string }) {
  const href = hrefOfStorage(kind, id);
  return (
    <span className="row row--4">
      {hasPage(href) ? (
        <TextLink href={href} isMono>
          {id}
        </TextLink>
      ) : (
        <code className="key cut">{id}</code>
      )}
      <CopyButton text={id} label={copyLabel} />
    </span>
  );
}
