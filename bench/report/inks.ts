/** The inks of a plot that a dark page draws in its own colours: a plot is drawn once, and names its inks as attributes. */
export const ink = '#1f2933'
export const gridInk = '#e4e7eb'
export const axisInk = '#cbd2d9'
