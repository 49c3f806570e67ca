// Chooses the environments that the list has columns for.
import { Button } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import type { Environment } from './queries.ts';
import { WORDS } from './words.ts';

export interface EnvironmentsMenuProps {
  environments: readonly Environment[];
  chosen: readonly string[];
  onChoose: (keys: string[]) => void;
}

/** In the order of the project. One stays chosen: without any the list would say nothing. */
export function EnvironmentsMenu({ environments, chosen, onChoose }: EnvironmentsMenuProps) {
  const toggled = (key: string) =>
    environments
      .map((one) => one.key)
      .filter((one) => (one === key ? !chosen.includes(key) : chosen.includes(one)));
  return (
    <Menu
      trigger={
        <Button icon="columns" hasCaret>
          {WORDS.environments}
        </Button>
      }
      items={environments.map(({ key, name }) => ({
        label: name === key ? key : `${name} (${key})`,
        icon: chosen.includes(key) ? 'check' : undefined,
        onSelect: () => {
          const keys = toggled(key);
          if (keys.length > 0) onChoose(keys);
        },
      }))}
    />
  );
}
