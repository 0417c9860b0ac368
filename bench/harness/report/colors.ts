/** The colours of a plot as named attributes: a plot is drawn once, and a dark page replaces its colours. */
export const textColor = '#1f2933'
export const gridColor = '#e4e7eb'
export const axisColor = '#cbd2d9'
