// The webhooks of an organization, which hear of all of its repositories.
import { useMemo } from 'react';
import { useSearchState } from '../../lib/search-state.ts';
import { useKeys } from '../../ui/keys.ts';
import { HookList } from '../hooks/hook-list.tsx';
import { organizationHref } from './organization.ts';

export function OrganizationHooks({ org }: { org: string }) {
  const place = useMemo(() => ({ org }), [org]);
  const search = useSearchState(organizationHref(org, '/webhooks'));
  useKeys({ c: () => search.set({ new: '1' }) });
  return <HookList place={place} search={search} />;
}
