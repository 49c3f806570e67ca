// For addresses that no page has.
import { useLocation } from 'wouter';
import { Button } from '../ui/button.tsx';
import { PageHead } from '../ui/page.tsx';
import { EmptyState } from '../ui/states.tsx';
import { usePageInfo } from './page-info.ts';
import { WORDS } from './words.ts';

export function NotFoundPage({ onSearch }: { onSearch: (text: string) => void }) {
  const [location] = useLocation();
  usePageInfo([{ label: WORDS.notFound.title }]);
  const last = decodeURIComponent(location.split('/').at(-1) ?? '');
  return (
    <main id="main" className="page page--mid" tabIndex={-1}>
      <PageHead title={WORDS.notFound.title} />
      <EmptyState
        icon="search"
        title={WORDS.notFound.here}
        text={WORDS.notFound.text}
        action={
          <Button tone="primary" onClick={() => onSearch(last)}>
            {WORDS.notFound.action}
          </Button>
        }
      />
    </main>
  );
}
