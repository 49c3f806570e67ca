// The policies of tasks, with their parameters filled in.
import type { TokenTask } from '../../api/types/signalbox.ts';
import type { PolicyStatement } from '../policy/policy.ts';

/** What may stand in a resource: other characters have a meaning there. */
export function isParameter(text: string): boolean {
  return text === '*' || /^[\w.-]{1,256}$/.test(text);
}

/** Parameters that are not filled in stay in their braces. */
export function fillPolicy(
  { inlinePolicy, parameters }: TokenTask,
  values: Readonly<Record<string, string>>,
): PolicyStatement[] {
  const fill = (resource: string) =>
    parameters.reduce((text, name) => {
      const value = values[name] ?? '';
      return value === '' ? text : text.replaceAll(`{${name}}`, value);
    }, resource);
  return inlinePolicy.map(({ resources, ...statement }) => ({
    ...statement,
    ...(resources && { resources: resources.map(fill) }),
  }));
}
