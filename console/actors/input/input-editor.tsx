// An input to edit: as a form where the build has a schema, and as JSON always.
import '../../styles/input.css';
import { Banner } from '../../ui/banner.tsx';
import { Field } from '../../ui/field.tsx';
import { TextArea } from '../../ui/input.tsx';
import type { InputSchema } from './input-schema.ts';
import { INPUT_WORDS } from './input-words.ts';
import type { InputErrors } from './start-run.ts';
import type { InputDraft } from './use-input.ts';

export interface InputEditorProps {
  draft: InputDraft;
  schema: InputSchema | undefined;
  errors: InputErrors;
}

export function InputEditor({ draft, schema, errors }: InputEditorProps) {
  return (
    <div className="stack">
      {schema === undefined && <p className="t13 muted">{INPUT_WORDS.noSchema}</p>}
      <JsonEditor draft={draft} errors={errors} />
    </div>
  );
}

function JsonEditor({ draft, errors }: { draft: InputDraft; errors: InputErrors }) {
  const secrets = [...Object.keys(draft.kept), ...Object.keys(draft.typed)];
  const messages = [...errors.values()];
  return (
    <>
      {secrets.length > 0 && (
        <Banner tone="neutral" icon="lock">
          {INPUT_WORDS.secretsKept(secrets.join(', '))}
        </Banner>
      )}
      <Field
        label={INPUT_WORDS.jsonField}
        error={draft.problem ?? (messages.length === 0 ? undefined : messages.join('. '))}
      >
        <TextArea
          isMono
          className="input-json"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          rows={Math.min(24, Math.max(8, draft.text.split('\n').length + 1))}
          value={draft.text}
          onValue={draft.setText}
        />
      </Field>
    </>
  );
}
