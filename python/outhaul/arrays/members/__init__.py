"""What the class of lazy arrays is made of: operators, protocols, views, its picture."""
