// The webhooks of a repository.
import { useMemo } from 'react';
import { useParams } from 'wouter';
import { useSearchState } from '../../lib/search-state.ts';
import { useKeys } from '../../ui/keys.ts';
import { settingsHref } from '../place.ts';
import { SettingsFrame } from '../settings/settings-frame.tsx';
import { HookList } from './hook-list.tsx';

export default function HooksPage() {
  const { owner, repo } = useParams<{ owner: string; repo: string }>();
  const place = useMemo(() => ({ owner, repo }), [owner, repo]);
  const search = useSearchState(settingsHref(place, 'webhooks'));
  // A key that comes before the repository is known is not lost: the dialog opens with it.
  useKeys({ c: () => search.set({ new: '1' }) });
  return (
    <SettingsFrame place={place} part="webhooks">
      {() => <HookList place={place} search={search} />}
    </SettingsFrame>
  );
}
