// Rate limits: what is left of each, what spends it, what was refused, and what another limit would have done. The address says whose tokens are shown.
import '../../styles/limits.css';
import type { ReactNode } from 'react';
import type { ApiError } from '../../api/error.ts';
import { useMay } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { PageHead, Section } from '../../ui/page.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { LimitTable } from './limit-table.tsx';
import {
  MOST_TOKENS,
  useLimitPeaks,
  useLimits,
  useRefusedCalls,
  useSpenders,
  useSpendingRoutes,
} from './limits-queries.ts';
import { LIMITS } from './limits-words.ts';
import { RefusalTable, RouteTable } from './route-table.tsx';
import { SpenderTable } from './spender-table.tsx';
import { WhatIfPart } from './what-if.tsx';

/** Whose tokens there are beside one's own. */
const SEES_ALL = [{ action: 'viewAccessToken', resource: 'member/*:token/*' }];

export default function LimitsPage() {
  usePageInfo([{ label: LIMITS.code }, { label: LIMITS.title }]);
  const state = useSearchState('/limits');
  const isAll = state.get('all') === '1';
  const [seesAll = false] = useMay(SEES_ALL) ?? [];
  const limits = useLimits();
  const tokens = useSpenders(isAll);
  const routes = useSpendingRoutes(isAll);
  const refusals = useRefusedCalls(isAll);
  const peaks = useLimitPeaks(isAll);
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={LIMITS.title}
        meta={LIMITS.text}
        actions={
          seesAll || isAll ? (
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
          ) : undefined
        }
      />
      <div className="stack stack--24">
        <Section title={LIMITS.now}>
          {limits.data?.isEnabled === false ? (
            <EmptyState icon="gauge" title={LIMITS.off.title} text={LIMITS.off.text} />
          ) : (
            <Part of={limits}>
              <LimitTable items={limits.data?.items ?? []} isLoading={limits.data === undefined} />
            </Part>
          )}
        </Section>
        <Section title={LIMITS.spenders}>
          <p className="t13 muted limits__text">{LIMITS.spendersText}</p>
          <Part of={tokens}>
            <SpenderTable tokens={tokens.data?.items ?? []} isLoading={tokens.data === undefined} />
          </Part>
          {tokens.data?.next !== undefined && <p className="t12 muted">{LIMITS.more(MOST_TOKENS)}</p>}
        </Section>
        <Section title={LIMITS.routes.title}>
          <p className="t13 muted limits__text">{LIMITS.routes.text}</p>
          <Part of={routes}>
            <RouteTable items={routes.data?.items ?? []} isLoading={routes.data === undefined} />
          </Part>
        </Section>
        {limits.data?.isEnabled !== false && (
          <Section title={LIMITS.what.title}>
            <p className="t13 muted limits__text">{LIMITS.what.text}</p>
            <Part of={peaks}>
              <WhatIfPart items={peaks.data?.items} />
            </Part>
          </Section>
        )}
        <Section title={LIMITS.refusals.title}>
          <p className="t13 muted limits__text">{LIMITS.refusals.text}</p>
          <Part of={refusals}>
            <RefusalTable items={refusals.data?.items ?? []} isLoading={refusals.data === undefined} />
          </Part>
        </Section>
      </div>
    </main>
  );
}

interface PartProps {
  of: { error: ApiError | null; data: unknown; refetch: () => unknown };
  children: ReactNode;
}

/** What was read once stays while it cannot be read again. */
function Part({ of, children }: PartProps) {
  if (of.error === null || of.data !== undefined) return children;
  return <ReadProblem error={of.error} onRetry={() => void of.refetch()} />;
}
