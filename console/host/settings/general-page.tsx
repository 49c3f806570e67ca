// The general settings of a repository: what it is about, what it offers, how it is merged, and its end.
import { useState } from 'react';
import { useParams } from 'wouter';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { invalidateTopics } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { useDraft } from '../../app/drafts.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { classNames } from '../../ui/class-names.ts';
import { toast } from '../../ui/toast-store.ts';
import type { RepositoryPlace } from '../place.ts';
import { TOPICS } from '../queries.ts';
import type { Repository } from '../repository.ts';
import { DangerZone } from './danger-zone.tsx';
import { AboutCard, FeaturesCard, MergingCard } from './general-cards.tsx';
import {
  changedSettings,
  isHomepage,
  nameOfSetting,
  saveCalls,
  settingsOf,
  type GeneralSettings,
} from './general-model.ts';
import { SettingsFrame } from './settings-frame.tsx';
import { GENERAL } from './settings-words.ts';

export default function GeneralPage() {
  const { owner, repo } = useParams<{ owner: string; repo: string }>();
  const place = { owner, repo };
  return (
    <SettingsFrame place={place} part="">
      {(repository) => (
        <div className="stack stack--24 rset__narrow">
          <GeneralForm key={repository.id} place={place} repository={repository} />
          <DangerZone place={place} repository={repository} />
        </div>
      )}
    </SettingsFrame>
  );
}

function GeneralForm({ place, repository }: { place: RepositoryPlace; repository: Repository }) {
  const [isTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const draft = useDraft<{ patch: Partial<GeneralSettings> }>(`repository-settings:${repository.id}`, {
    patch: {},
  });
  const saved = settingsOf(repository);
  const changed = changedSettings(saved, draft.value.patch);
  const value = { ...saved, ...changed };
  const names = Object.keys(changed) as (keyof GeneralSettings)[];
  const calls = saveCalls(place, changed);
  useSayDraft(calls[0]);
  const change = (patch: Partial<GeneralSettings>) => draft.change({ patch: { ...changed, ...patch } });
  const hasMethod = value.allow_merge_commit || value.allow_squash_merge || value.allow_rebase_merge;
  const reason = names.length === 0 ? GENERAL.unchanged : hasMethod ? undefined : GENERAL.noMethod;
  const save = async () => {
    setTried(true);
    setError(undefined);
    if (isBusy || !isHomepage(value.homepage)) return;
    setBusy(true);
    try {
      for (const call of calls) await send(call);
      draft.forget();
      setTried(false);
      toast({ text: GENERAL.saved, tone: 'ok' });
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure);
    } finally {
      setBusy(false);
      invalidateTopics(TOPICS);
    }
  };
  const fields = { value, isTried, onChange: change };
  return (
    <form
      className="stack stack--16"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (reason === undefined) void save();
      }}
    >
      {repository.archived && <Banner tone="warn">{GENERAL.archived}</Banner>}
      <fieldset className="rset__form stack stack--16" disabled={repository.archived}>
        <AboutCard place={place} {...fields} />
        <FeaturesCard {...fields} />
        <MergingCard {...fields} hasMethod={hasMethod} />
      </fieldset>
      {!repository.archived && (
        <div className={classNames('rset__save', names.length > 0 && 'has-changes')}>
          <Button type="submit" tone="primary" isBusy={isBusy} disabledReason={reason}>
            {GENERAL.save}
          </Button>
          {names.length > 0 && (
            <>
              <Button
                onClick={() => {
                  draft.forget();
                  setError(undefined);
                }}
              >
                {GENERAL.discard}
              </Button>
              <span className="t13 muted">{GENERAL.changes(names.map(nameOfSetting).join(', '))}</span>
            </>
          )}
          <ChangeError error={error} />
        </div>
      )}
    </form>
  );
}
