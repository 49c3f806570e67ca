// A new repository. Afterwards its page says how to clone it and how to push to it.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { path, type Call } from '../api/call.ts';
import type { ApiError } from '../api/error.ts';
import { useChange, useRead } from '../api/read.ts';
import { useSayDraft } from '../app/draft-call.ts';
import { useDraft } from '../app/drafts.ts';
import { useMe } from '../app/me.ts';
import { Checkbox, RadioCards } from '../ui/choice.tsx';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { SelectInput, TextInput } from '../ui/input.tsx';
import { repositoryHref } from './place.ts';
import { TOPICS } from './queries.ts';
import type { Repository } from './repository.ts';
import { CREATE_WORDS as WORDS } from './words.ts';

const NEW = {
  owner: '',
  name: '',
  description: '',
  visibility: 'private',
  hasReadme: false,
  gitignore: '',
  license: '',
};

type NewRepository = typeof NEW;

function createCall(draft: NewRepository): Call {
  const { owner, name, description, visibility, hasReadme, gitignore, license } = draft;
  return {
    api: 'host',
    method: 'POST',
    path: owner === '' ? '/user/repos' : path`/orgs/${owner}/repos`,
    body: {
      name,
      ...(description.trim() !== '' && { description: description.trim() }),
      private: visibility === 'private',
      ...(hasReadme && {
        auto_init: true,
        ...(gitignore !== '' && { gitignore_template: gitignore }),
        ...(license !== '' && { license_template: license }),
      }),
    },
  };
}

function problemOf(name: string): string | undefined {
  if (name === '') return WORDS.needed;
  return /^[\w.-]{1,100}$/.test(name) && !/^\.{1,2}$|\.git$/i.test(name) ? undefined : WORDS.badName;
}

export interface CreateRepositoryProps {
  /** The organization that is to own it, where the page is about one. */
  owner?: string;
  onClose: () => void;
}

export function CreateRepository({ owner: first = '', onClose }: CreateRepositoryProps) {
  const [, navigate] = useLocation();
  const draft = useDraft(`new-repository${first === '' ? '' : ` ${first}`}`, { ...NEW, owner: first });
  const { value, change } = draft;
  const [isTried, setTried] = useState(false);
  const call = createCall(value);
  useSayDraft(call);
  const creation = useChange<Call, Repository>((one) => one, TOPICS);
  const problem = problemOf(value.name);
  const create = () => {
    setTried(true);
    if (problem !== undefined) return;
    creation.mutate(call, {
      onSuccess: ({ owner, name }) => {
        draft.forget();
        navigate(repositoryHref({ owner: owner.login, repo: name }));
      },
    });
  };
  return (
    <FormDialog
      title={WORDS.title}
      text={WORDS.text}
      action={WORDS.action}
      isBusy={creation.isPending}
      error={creation.error}
      onSubmit={create}
      onClose={onClose}
    >
      <OwnerField value={value.owner} onChange={(owner) => change({ owner })} />
      <Field
        label={WORDS.name}
        help={WORDS.nameHelp}
        error={isTried && problem !== undefined ? problem : nameError(creation.error)}
      >
        <TextInput
          isMono
          data-autofocus=""
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={value.name}
          onValue={(name) => change({ name })}
        />
      </Field>
      <Field label={WORDS.description} optional>
        <TextInput
          maxLength={350}
          value={value.description}
          onValue={(description) => change({ description })}
        />
      </Field>
      <RadioCards
        label={WORDS.visibility}
        value={value.visibility}
        options={[
          { value: 'private', label: WORDS.privateLabel, text: WORDS.privateText },
          { value: 'public', label: WORDS.publicLabel, text: WORDS.publicText },
        ]}
        onChange={(visibility) => change({ visibility })}
      />
      <Checkbox
        label={WORDS.init}
        help={WORDS.initHelp}
        isChecked={value.hasReadme}
        onChange={(hasReadme) => change({ hasReadme })}
      />
      {value.hasReadme && <TemplateFields value={value} onChange={change} />}
    </FormDialog>
  );
}

/** What the API says about the name stands at the field too. */
function nameError(error: ApiError | null): string | undefined {
  return error?.fields.find(({ field }) => field === 'name' || field === '/name')?.message;
}

/** Those whose organizations the caller belongs to; absent where there are none. */
function OwnerField({ value, onChange }: { value: string; onChange: (owner: string) => void }) {
  const { data: me } = useMe();
  const { data: organizations = [] } = useRead<{ login: string }[]>({
    call: { api: 'host', path: '/user/orgs', query: { per_page: 100 } },
  });
  if (organizations.length === 0) return null;
  return (
    <Field label={WORDS.owner}>
      <SelectInput
        value={value}
        onValue={onChange}
        options={[
          { value: '', label: me?.username ?? '' },
          ...organizations.map(({ login }) => ({ value: login, label: login })),
        ]}
      />
    </Field>
  );
}

interface TemplateFieldsProps {
  value: NewRepository;
  onChange: (patch: Partial<NewRepository>) => void;
}

function TemplateFields({ value, onChange }: TemplateFieldsProps) {
  const { data: templates = [] } = useRead<string[]>({ call: { api: 'host', path: '/gitignore/templates' } });
  const { data: licenses = [] } = useRead<{ key: string; name: string }[]>({
    call: { api: 'host', path: '/licenses', query: { per_page: 100 } },
  });
  const none = { value: '', label: WORDS.none };
  return (
    <>
      <Field label={WORDS.gitignore} optional>
        <SelectInput
          value={value.gitignore}
          onValue={(gitignore) => onChange({ gitignore })}
          options={[none, ...templates.map((name) => ({ value: name, label: name }))]}
        />
      </Field>
      <Field label={WORDS.license} optional>
        <SelectInput
          value={value.license}
          onValue={(license) => onChange({ license })}
          options={[none, ...licenses.map(({ key, name }) => ({ value: key, label: name }))]}
        />
      </Field>
    </>
  );
}
