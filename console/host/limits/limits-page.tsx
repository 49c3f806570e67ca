// Rate limits: what is left of each, and which tokens spend it. The address says whose tokens are shown.
import '../../styles/limits.css';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { PageHead, Section } from '../../ui/page.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { LimitTable } from './limit-table.tsx';
import { MOST_TOKENS, useLimits, useSpenders } from './limits-queries.ts';
import { LIMITS } from './limits-words.ts';
import { SpenderTable } from './spender-table.tsx';

export default function LimitsPage() {
  usePageInfo([{ label: LIMITS.code }, { label: LIMITS.title }]);
  const state = useSearchState('/limits');
  const isAll = state.get('all') === '1';
  const limits = useLimits();
  const tokens = useSpenders(isAll);
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead title={LIMITS.title} meta={LIMITS.text} />
      <div className="stack stack--24">
        <Section title={LIMITS.now}>
          {limits.error !== null && limits.data === undefined ? (
            <ReadProblem error={limits.error} onRetry={() => void limits.refetch()} />
          ) : limits.data?.isEnabled === false ? (
            <EmptyState icon="gauge" title={LIMITS.off.title} text={LIMITS.off.text} />
          ) : (
            <LimitTable items={limits.data?.items ?? []} isLoading={limits.data === undefined} />
          )}
        </Section>
        <Section
          title={LIMITS.spenders}
          actions={
            <Segmented
              size="sm"
              label={LIMITS.whose}
              value={isAll ? 'all' : 'own'}
              onChange={(value) => state.set({ all: value === 'all' ? '1' : undefined })}
              options={[
                { value: 'own', label: LIMITS.own },
                { value: 'all', label: LIMITS.everyone },
              ]}
            />
          }
        >
          <p className="t13 muted limits__text">{LIMITS.spendersText}</p>
          {tokens.error !== null && tokens.data === undefined ? (
            <ReadProblem error={tokens.error} onRetry={() => void tokens.refetch()} />
          ) : (
            <SpenderTable tokens={tokens.data?.items ?? []} isLoading={tokens.data === undefined} />
          )}
          {tokens.data?.next !== undefined && <p className="t12 muted">{LIMITS.more(MOST_TOKENS)}</p>}
        </Section>
      </div>
    </main>
  );
}
