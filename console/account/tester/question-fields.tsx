// The two halves of a question, completed from what the server knows.
import { useId } from 'react';
import type { SearchState } from '../../lib/search-state.ts';
import { useTypedFilter } from '../../lib/search-state.ts';
import { Field } from '../../ui/field.tsx';
import { TextInput } from '../../ui/input.tsx';
import { RESOURCE_EXAMPLES } from '../policy/resource-examples.ts';
import { useKnownActions, type PolicyQuestion } from './explain-queries.ts';
import { TESTER } from './tester-words.ts';

export interface TypedQuestion extends PolicyQuestion {
  /** Undefined while a half is missing. */
  asked: PolicyQuestion | undefined;
  setAction: (action: string) => void;
  setResource: (resource: string) => void;
}

/** The address holds it, so that it can be sent to somebody. */
export function useTypedQuestion(state: SearchState): TypedQuestion {
  const [action, setAction] = useTypedFilter(state, 'action');
  const [resource, setResource] = useTypedFilter(state, 'resource');
  const question = { action: action.trim(), resource: resource.trim() };
  const isWhole = question.action !== '' && question.resource !== '';
  return { action, resource, asked: isWhole ? question : undefined, setAction, setResource };
}

export function QuestionFields({ question }: { question: TypedQuestion }) {
  const { action, resource, setAction, setResource } = question;
  const known = useKnownActions();
  const id = useId();
  const found = known?.find((one) => one.action === action.trim());
  const isUnknown = known !== undefined && action.trim() !== '' && found === undefined;
  return (
    <>
      <Field
        label={TESTER.action}
        help={
          found !== undefined ? TESTER.means(found.words) : isUnknown ? TESTER.unknown : TESTER.actionHelp
        }
      >
        <TextInput
          isMono
          list={`${id}a`}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={200}
          value={action}
          onValue={setAction}
        />
      </Field>
      <Field label={TESTER.resource} help={TESTER.resourceHelp}>
        <TextInput
          isMono
          list={`${id}r`}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={1000}
          value={resource}
          onValue={setResource}
        />
      </Field>
      <datalist id={`${id}a`}>
        {known?.map((one) => (
          <option key={one.action} value={one.action}>
            {one.words}
          </option>
        ))}
      </datalist>
      <datalist id={`${id}r`}>
        {RESOURCE_EXAMPLES.map(({ example, text }) => (
          <option key={example} value={example}>
            {text}
          </option>
        ))}
      </datalist>
    </>
  );
}
