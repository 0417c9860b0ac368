/** A guest's handbook of a hotel: the sections of its text, by the id of the fact that each of them answers. */

export const handbook: Readonly<Record<string, string>> = {
  'check-in': `# Arrival
Check-in starts at 3 pm. Rooms that are ready earlier are given out earlier, without a fee. Please have your booking
number and an identification with you. We keep a room until 6 pm unless you write to us that you will be late.`,
  'check-out': `# Departure
Check-out is until 11 am. On Sundays we give you one hour more. Please leave the key card at the reception, and put the
towels that you used into the tub, so that housekeeping can start right away.`,
  luggage: `# Luggage storage
You can leave your luggage with us before check-in and after check-out, free of charge, behind the reception. Bags are
stored in a locked room. Please take valuables with you.`,
  breakfast: `# Breakfast
Breakfast is included in all rates except the light rate. It is served in the winter garden, with eggs, bread, fruit and
pastries. Tell the kitchen about allergies.`,
  vegan: `# Vegan and vegetarian food
The kitchen cooks vegan and vegetarian dishes every day. Oat milk and soy milk are on the buffet.`,
  restaurant: `# Restaurant
Dinner is served in our restaurant from 6 pm to 10 pm. On Mondays the restaurant is closed, and we recommend our
neighbors at the corner. Tables are reserved at the reception.`,
  pool: `# Swimming pool
The swimming pool is on the roof. Bathing robes are in your wardrobe. Children under twelve swim with their parents.`,
  gym: `# Fitness
The fitness room on the first floor has treadmills, weights and mats. Your key card opens it day and night.`,
  parking: `# Parking
Guests park in the garage below the hotel. The entrance is on Mill Lane, and is two meters high. A place costs 18 euros
a night and cannot be reserved.`,
  charging: `# Electric cars
Four places in the garage charge electric cars with up to 11 kilowatts. Charging is billed by the kilowatt hour.`,
  pets: `# Pets
Dogs are welcome in all rooms of the second floor. Please keep your pet on a leash in the corridors and at breakfast.`,
  smoking: `# Smoking
All rooms are for non-smokers. There is a terrace on each floor where you may smoke.`,
  wifi: `# Internet
Wi-Fi is free in the whole hotel. The network is called Harbor Guest, and the page that opens asks for your room number.`,
  crib: `# Babies
We set up a crib in your room, without a fee. Bottles are warmed at the bar, and high chairs are in the restaurant.`,
  accessible: `# Accessible rooms
Six rooms are accessible by wheelchair, with a wide door, a shower without a step and an emergency cord.`,
  laundry: `# Laundry service
Clothes that you hand in at the reception before 9 am are washed and ironed by the evening.`,
  airport: `# From the airport
The airport shuttle leaves every thirty minutes in front of terminal two, and stops at our door. The tram takes longer.`,
  beach: `# The beach
The beach is four hundred meters away: turn left at the church. Towels for the beach are at the reception.`,
  bikes: `# Bicycles
We rent bicycles for a day or a week. Helmets and locks come with them, and child seats on request.`,
  cancel: `# Cancellation
You can cancel free of charge until two days before arrival. After that we charge the first night.`,
  'city-tax': `# City tax
The city takes a tax of three euros for each adult and night. It is paid at the hotel.`,
  meeting: `# Meeting rooms
Two meeting rooms seat ten and twenty-four people, with a screen and a flip chart.`,
  wedding: `# Weddings
Weddings of up to eighty guests are held in the garden from May to September.`,
  lost: `# Lost and found
What you forgot in your room is kept for six months. We send it to you and bill the postage.`,
}
