/** Short help for AML: one example of each marker, ready to try. */

const examples: readonly (readonly [title: string, aml: string])[] = [
  ['Bold, italic, struck', '**Bold**, *italic* and ~~struck~~ words.'],
  ['Chips: replies and links', 'How can we help?\n[[chips: Opening hours | Our site -> https://harbor.example]]'],
  ['A choice', '[[ask.choice #room | Which room?\nblue = Blue room ~ Faces the harbor\ngreen = Green room\n]]'],
  ['Yes or no', '[[confirm #book | Shall we book it?\nRoom: Blue\n]]'],
]

export function Help({ use }: { use: (aml: string) => void }) {
  return (
    <details class="help">
      <summary>AML in short</summary>
      <ul>
        {examples.map(([title, aml]) => (
          <li key={title}>
            <span>{title}</span>
            <pre>{aml}</pre>
            <button type="button" aria-label={`Use the example: ${title}`} onClick={() => use(aml)}>
              Use
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}
